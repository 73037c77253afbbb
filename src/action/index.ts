export { ActionModule } from './action.module';
